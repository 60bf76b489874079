const mebibyte = 1024 ** 2;

/**
 * Progress of a transfer, e.g. `12.3 of 98.1 MiB (12 %), 3.1 MiB/s`.
 *
 * @param total bytes; undefined if unknown.
 * @param speed bytes per second; undefined if it is meaningless.
 */
export function transferText(bytes: number, total?: number, speed?: number): string {
  const done = (bytes / mebibyte).toFixed(1);
  const share =
    total === undefined || total === 0
      ? `${done} MiB`
      : `${done} of ${(total / mebibyte).toFixed(1)} MiB (${Math.floor((100 * bytes) / total)} %)`;
  return speed === undefined ? share : `${share}, ${(speed / mebibyte).toFixed(1)} MiB/s`;
}
