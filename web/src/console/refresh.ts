// Shows the progress of a job while it runs. Without scripts, the page itself is loaded again.

const SECONDS = "refresh";

/** Replace the element with that of the page as it is now, until the page no longer asks for it. */
async function replace(element: HTMLElement): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const next = page.getElementById(element.id);
  if (!next) return;
  if (next.dataset[SECONDS] === undefined) {
    // The results of the job and its buttons have changed too.
    location.reload();
    return;
  }
  element.replaceWith(next);
  wait(next);
}

function wait(element: HTMLElement): void {
  const again = (): void => {
    void replace(element).catch(() => wait(element));
  };
  setTimeout(again, Number(element.dataset[SECONDS]) * 1000);
}

/** Refresh every element that asks for it. */
export function startRefreshing(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-refresh]")) wait(element);
}
