import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  subtitle?: string;
  back?: { label: string; onClick(): void };
  status: string | null;
  children?: ComponentChildren;
}

/** The bar at the top: what is open, and the state of the connection. */
export function Bar({ title, subtitle, back, status, children }: Props) {
  return (
    <header class="bar">
      {back && (
        <button type="button" class="button plain" aria-label={back.label} onClick={back.onClick}>
          <svg class="icon" viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d="m15 5-7 7 7 7" />
          </svg>
        </button>
      )}
      <div class="bar-title">
        <h1>{title}</h1>
        {subtitle && <span class="small quiet">{subtitle}</span>}
      </div>
      <span role="status">{status !== null && <span class="pill warning">{status}</span>}</span>
      {children}
    </header>
  );
}
