/**
 * PowerShell lines that turn on OpenSSH with a key for the administrators of a Windows Server, as Microsoft's own page
 * does it ("Get started with OpenSSH for Windows"); fine where it is on already, and keys that are there stay.
 *
 * @param publicKey `ssh-ed25519 AAAA... comment`, on one line and without quotes.
 */
export function bootstrapLines(publicKey: string): readonly string[] {
  const keys = "C:\\ProgramData\\ssh\\administrators_authorized_keys";
  return [
    "$ErrorActionPreference = 'Stop'",
    // Server 2025 has it already; 2019 and 2022 get it from Windows Update, or from a source of features.
    "if (-not (Get-Service sshd -ErrorAction SilentlyContinue)) { Add-WindowsCapability -Online -Name 'OpenSSH.Server~~~~0.0.1.0' }",
    // Its first start makes the folder and the host keys.
    "Set-Service sshd -StartupType Automatic; Start-Service sshd",
    `Add-Content -LiteralPath '${keys}' -Encoding ascii -Value '${publicKey}'`,
    // sshd takes no file that others may write; groups by number, as their names are translated.
    `icacls '${keys}' /inheritance:r /grant '*S-1-5-32-544:F' /grant '*S-1-5-18:F'`,
    "if (-not (Get-NetFirewallRule -Name kindows-ssh -ErrorAction SilentlyContinue)) { New-NetFirewallRule -Name kindows-ssh -DisplayName 'SSH' -Direction Inbound -Protocol TCP -LocalPort 22 -Action Allow -Profile Any }",
    "Get-Content C:\\ProgramData\\ssh\\ssh_host_ed25519_key.pub",
  ];
}
