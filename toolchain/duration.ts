/** `9 s`, `2 min 05 s`, `1 h 02 min`: for progress lines. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) {
    return `${seconds < 10 ? Math.round(seconds * 10) / 10 : whole} s`;
  }
  if (whole < 3600) {
    return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  }
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}
