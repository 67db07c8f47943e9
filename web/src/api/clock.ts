// The time of the service: the clock of a device can be wrong.

let ahead = 0;

/** Compare the clock of the device with the time of a response. */
export function compareClock(response: Response): void {
  const time = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(time)) ahead = Date.now() - time;
}

/** Return the time of the service in milliseconds; that of the device until the service has responded. */
export function serviceNow(): number {
  return Date.now() - ahead;
}
