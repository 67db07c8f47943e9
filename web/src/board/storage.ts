// The link of this screen, so that a TV that was switched off shows its table again.

const NAME = "tablestakes-board";

export function readSecret(): string | null {
  return use((storage) => storage.getItem(NAME));
}

export function writeSecret(secret: string): void {
  use((storage) => storage.setItem(NAME, secret));
}

export function forgetSecret(): void {
  use((storage) => storage.removeItem(NAME));
}

/** Use the storage; return null if the browser has none, as some do in private windows. */
function use<T>(action: (storage: Storage) => T): T | null {
  try {
    return action(localStorage);
  } catch {
    return null;
  }
}
