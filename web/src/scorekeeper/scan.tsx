import { useEffect, useRef, useState } from "preact/hooks";
import { findSecret } from "../api/session.js";
import { gettext } from "../language/gettext.js";

/** What some browsers have beside the types of TypeScript. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
type DetectorClass = new (options: { formats: string[] }) => Detector;

const PAUSE = 250;

/** Return whether this browser can read a QR code with its camera. */
export function canScan(): boolean {
  return findDetector() !== undefined && navigator.mediaDevices?.getUserMedia !== undefined;
}

function findDetector(): DetectorClass | undefined {
  return (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
}

interface Props {
  onFound(secret: string): void;
  onCancel(): void;
}

/** The picture of the camera, until it shows the QR code of a link. */
export function ScanScreen({ onFound, onCancel }: Props) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    scan(video.current!, ended.signal).then(
      (secret) => secret !== undefined && onFound(secret),
      (error: unknown) => setProblem(describe(error)),
    );
    return () => ended.abort();
  }, []);
  return (
    <div class="panel" role="group" aria-label={gettext("Scan a QR code")}>
      {problem === null ? (
        <>
          <video ref={video} class="camera" playsInline muted aria-label={gettext("Picture of the camera")} />
          <p class="quiet" role="status">{gettext("Hold the QR code of the link in front of the camera.")}</p>
        </>
      ) : (
        <p class="notice error" role="alert">{problem}</p>
      )}
      <button type="button" class="button" onClick={onCancel}>{problem === null ? gettext("Cancel") : gettext("Back")}</button>
    </div>
  );
}

/** Return the secret of the first link that the camera sees, or undefined once the signal is aborted. */
async function scan(video: HTMLVideoElement, signal: AbortSignal): Promise<string | undefined> {
  const detector = new (findDetector()!)({ formats: ["qr_code"] });
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  try {
    video.srcObject = stream;
    await video.play();
    while (!signal.aborted) {
      for (const { rawValue } of await detector.detect(video)) {
        const secret = findSecret(rawValue);
        if (secret !== undefined && !signal.aborted) return secret;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function describe(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") {
    return gettext("The browser does not let this page use the camera. Allow it in the settings of the browser, or paste the link.");
  }
  if (name === "NotFoundError") return gettext("This device has no camera that can be used. Paste the link.");
  return gettext("The camera cannot be used. Paste the link.");
}
