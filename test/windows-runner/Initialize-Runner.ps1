<#
.SYNOPSIS
Runs Initialize-Image.ps1 on this machine as the first logon of a new image does, so that the runner has the image's SSH
server, and records what the steps need to know about the machine.

.DESCRIPTION
For a throw-away Windows Server, whose SSH server, power plan and policies it changes. Writes facts.json into the packed
folder.

.PARAMETER Packed
Folder that pack.ts has made, with keys that drive.ts has added.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $Packed
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$powershell = "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe"

$route = @(Get-NetRoute -DestinationPrefix '0.0.0.0/0' | Sort-Object -Property RouteMetric, InterfaceMetric)[0]
$own = @(Get-NetIPAddress -InterfaceIndex $route.InterfaceIndex -AddressFamily IPv4)[0]
$sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
$facts = [ordered]@{
    computer   = [Net.Dns]::GetHostName()
    address    = $own.IPAddress
    gateway    = $route.NextHop
    sshdBefore = if ($null -eq $sshd) { 'none' } else { "$($sshd.Status), $($sshd.StartType)" }
}
[IO.File]::WriteAllText((Join-Path $Packed 'facts.json'), (ConvertTo-Json -InputObject $facts))
[Console]::Out.WriteLine((ConvertTo-Json -InputObject $facts -Compress))

# In the root of a drive, where the command that seals an image looks for it.
$null = New-Item -Path 'C:\kindows' -ItemType Directory -Force
Copy-Item -Path (Join-Path $Packed 'disc\*') -Destination 'C:\kindows' -Recurse -Force
$null = New-Item -Path 'C:\kindows\runner' -ItemType Directory -Force
Copy-Item -LiteralPath (Join-Path $Packed 'facts.json') -Destination 'C:\kindows\runner' -Force

& $powershell -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File 'C:\kindows\Initialize-Image.ps1'
if ($LASTEXITCODE -ne 0) {
    throw "Initialize-Image.ps1 ended with exit code $LASTEXITCODE"
}
