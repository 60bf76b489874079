# Reaching the API server.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# By TCP alone; $Endpoint is host:port.
function Wait-ApiServer {
    param([string] $Endpoint, [int] $TimeoutSeconds)
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
