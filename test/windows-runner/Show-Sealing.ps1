<#
.SYNOPSIS
Waits for the task that would have started sysprep, and prints as whom it ran.

.PARAMETER Record
File that the task writes (Skip-Sysprep.ps1).

.PARAMETER TimeoutSeconds
Longest wait.
#>
[CmdletBinding()]
param(
    [string] $Record = 'C:\kindows\runner\sealing.json',

    [ValidateRange(1, 600)]
    [int] $TimeoutSeconds = 120
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$clock = [Diagnostics.Stopwatch]::StartNew()
while (-not (Test-Path -LiteralPath $Record)) {
    if ($clock.Elapsed.TotalSeconds -ge $TimeoutSeconds) {
        throw "the task that starts sysprep has not run within $TimeoutSeconds s"
    }
    Start-Sleep -Milliseconds 200
}
$task = ConvertFrom-Json -InputObject ([IO.File]::ReadAllText($Record))
[Console]::Out.WriteLine("sysprep would run as $($task.account) ($($task.sid)) in session $($task.session), " +
    "priority $($task.priority)")
if ($task.sid -eq 'S-1-5-18') {
    throw 'sysprep would run as SYSTEM, which Microsoft does not support'
}
