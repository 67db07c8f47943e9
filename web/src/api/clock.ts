// The time of the service: the clock of a device can be wrong.

/** How much the difference has to change to be stored again: the service states its time in whole seconds. */
const NOTABLE = 2_000;

let ahead = 0;
let isCompared = false;
let stored = 0;
let store: (ahead: number) => void = () => undefined;

/** Begin with the difference that was known last, until the service responds; `onChange` receives another one, to store it. */
export function startClock(last: number, onChange: (ahead: number) => void): void {
  stored = last;
  store = onChange;
  if (isCompared) keepDifference();
  else ahead = last;
}

/** Compare the clock of the device with the time of a response. */
export function compareClock(response: Response): void {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(time)) return;
  ahead = Date.now() - time;
  isCompared = true;
  keepDifference();
}

function keepDifference(): void {
  if (Math.abs(ahead - stored) < NOTABLE) return;
  stored = ahead;
  store(ahead);
}

/** Return the time of the service in milliseconds; that of the device until the service has responded once. */
export function serviceNow(): number {
  return Date.now() - ahead;
}
