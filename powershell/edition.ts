/** Whose ways are followed where the two differ: Windows PowerShell 5.1 ("Desktop") or PowerShell 7 ("Core"). */
export type Edition = "Desktop" | "Core";
