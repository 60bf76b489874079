# Reaching the API server.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Waits until the API server accepts a TCP connection; stops the step where it does not in time.

.PARAMETER Endpoint
host:port of the API server.

.PARAMETER TimeoutSeconds
Seconds to wait at most.
#>
function Wait-ApiServer {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Endpoint,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    $name, $port = $Endpoint -split ':', 2
    # Not by the time of day: that may be set meanwhile.
    $clock = [Diagnostics.Stopwatch]::StartNew()
    $lastError = 'no answer within 5 s'
    do {
        $client = New-Object -TypeName System.Net.Sockets.TcpClient
        try {
            if ($client.ConnectAsync($name, [int]$port).Wait(5000)) {
                return
            }
            $lastError = 'no answer within 5 s'
        }
        catch {
            $lastError = $_.Exception.GetBaseException().Message
        }
        finally {
            $client.Dispose()
        }
        Start-Sleep -Seconds 2
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    Stop-Step -Code 'ApiServerUnreachable' `
        -Message "The API server $Endpoint could not be reached in $TimeoutSeconds s; last seen: $lastError" `
        -Remedy 'Look at the hosts file (Set-HostsEntry), the lab network and whether the control plane runs.'
}
