export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

const mebibyte = 1024 ** 2;

/** For example `12.3 of 98.1 MiB (12 %), 3.1 MiB/s`; parts that are undefined are left out. */
export function transferText(bytes: number, total?: number, speed?: number): string {
  const done = (bytes / mebibyte).toFixed(1);
  const share =
    total === undefined || total === 0
      ? `${done} MiB`
      : `${done} of ${(total / mebibyte).toFixed(1)} MiB (${Math.floor((100 * bytes) / total)} %)`;
  return speed === undefined ? share : `${share}, ${(speed / mebibyte).toFixed(1)} MiB/s`;
}
