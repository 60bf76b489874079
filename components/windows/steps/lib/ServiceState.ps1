# Waiting for Windows services.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Waits until a service runs; stops the step where it does not in time.

.PARAMETER Name
Name of the service.

.PARAMETER TimeoutSeconds
Seconds to wait at most.

.PARAMETER LogPath
The service's own log, whose end is part of the error.

.PARAMETER Ready
What must hold as well, beyond the service manager's opinion.
#>
function Wait-ServiceRunning {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Name,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds,

        [Parameter(Mandatory = $true)]
        [string] $LogPath,

        [scriptblock] $Ready = { $true }
    )

    $deadline = [DateTime]::UtcNow.AddSeconds($TimeoutSeconds)
    do {
        $status = [string](Get-Service -Name $Name).Status
        if ($status -eq 'Running' -and (& $Ready)) {
            return
        }
        Start-Sleep -Milliseconds 500
    } while ([DateTime]::UtcNow -lt $deadline)

    $log = '(no log)'
    if (Test-Path -LiteralPath $LogPath) {
        $log = (Get-Content -LiteralPath $LogPath -Tail 10) -join "`n"
    }
    Stop-Step -Code 'ServiceNotRunning' -Remedy "Read $LogPath and the System event log on the machine." `
        -Message "The service $Name is not ready after $TimeoutSeconds s (last seen: $status). Its log ends with: $log"
}
