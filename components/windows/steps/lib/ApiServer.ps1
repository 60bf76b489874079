# The API server: whether it is reached, and the machine's clock by its own. kubeadm and kubelet refuse certificates
# that are not valid yet, or no longer.

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
            if ($client.ConnectAsync($name, [int]$port).Wait(5000)) { return }
            $lastError = 'no answer within 5 s'
        }
        catch { $lastError = $_.Exception.GetBaseException().Message }
        finally { $client.Dispose() }
        Start-Sleep -Seconds 2
    } while ($clock.Elapsed.TotalSeconds -lt $TimeoutSeconds)

    Stop-Step -Code 'ApiServerUnreachable' `
        -Message "The API server $Endpoint could not be reached in $TimeoutSeconds s; last seen: $lastError" `
        -Remedy 'Look at the hosts file (Set-HostsEntry), the lab network and whether the control plane runs.'
}

# Below this nothing in Kubernetes minds; certificates are dated back by five minutes.
$ClockToleranceSeconds = 30

# UTC, or nothing where the server does not tell. From the Date header of any answer, also of a refusal. The server's
# certificate is ignored: with a wrong clock it could not be verified, and kubeadm checks the cluster by its pinned key
# right afterwards.
function Get-ApiServerTime {
    param([string] $Endpoint)
    try {
        $answer = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\curl.exe" -ArgumentList @(
            '--silent', '--show-error', '--head', '--insecure', '--noproxy', '*', '--max-time', '15',
            "https://$Endpoint/healthz"
        ) -TimeoutSeconds 30 -Remedy 'Set the clock by hand where it is wrong.'
        if ($answer -match '(?im)^date:\s*(?<time>[^\r\n]+?)\s*$') {
            $culture = [Globalization.CultureInfo]::InvariantCulture
            [DateTimeOffset]::ParseExact($Matches['time'], 'r', $culture).UtcDateTime
        }
    }
    catch {
        Write-StepProgress -Message "The API server does not tell its time: $($_.Exception.Message)"
    }
}

# Returns by how many seconds the clock was moved, 0 for not.
function Sync-Clock {
    param([string] $Endpoint)
    $time = Get-ApiServerTime -Endpoint $Endpoint
    if ($null -eq $time) { return 0 }
    # Not an int: a clock may have any date.
    $offset = [long]($time - [DateTime]::UtcNow).TotalSeconds
    if ([math]::Abs($offset) -le $ClockToleranceSeconds) { return 0 }
    Write-StepProgress -Message "the clock differs from the control plane's by $offset s and is set"
    $null = Set-Date -Date $time.ToLocalTime()
    $offset
}
