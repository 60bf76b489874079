# Calico's HNS network External. Making it puts a virtual switch on the machine's adapter, which cuts every connection
# for some seconds: Calico would do that when its first pod starts, here it happens when nothing else goes on.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'PendingReboot.ps1')

$ExternalNetworkRecordPath = 'C:\kindows\state\external-network.json'
$ExternalNetworkTaskName = 'kindows-external-network'
# Seconds after which a machine whose network has not come back reboots, which often brings it back.
$ExternalNetworkRescueSeconds = 600

<#
.SYNOPSIS
Tells whether HNS has the network External.
#>
function Test-ExternalNetwork {
    [CmdletBinding()]
    [OutputType([bool])]
    param()

    @(Get-HnsNetwork | Where-Object { $_.Name -eq 'External' }).Count -gt 0
}

<#
.SYNOPSIS
Tells whether an address is one of this machine's.

.PARAMETER Address
IPv4 address.
#>
function Test-OwnAddress {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Address
    )

    @(Get-NetIPAddress -AddressFamily IPv4 | ForEach-Object { $_.IPAddress }) -contains $Address
}

<#
.SYNOPSIS
Writes down how the making of the network stands, and in which boot.

.PARAMETER State
running, done or failed.

.PARAMETER Message
What went wrong; empty for nothing.
#>
function Save-ExternalNetworkRecord {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $State,

        [string] $Message = ''
    )

    $null = New-Item -Path (Split-Path -Path $ExternalNetworkRecordPath) -ItemType Directory -Force
    $record = [ordered]@{ state = $State; message = $Message; lastBootUpTime = Get-LastBootUpTime }
    [IO.File]::WriteAllText($ExternalNetworkRecordPath, (ConvertTo-Json -InputObject $record -Compress))
}

<#
.SYNOPSIS
Returns how the making of the network stands in this boot: State (none, running, done or failed) and Message.
#>
function Get-ExternalNetworkRecord {
    [CmdletBinding()]
    [OutputType([System.Collections.IDictionary])]
    param()

    if (Test-Path -LiteralPath $ExternalNetworkRecordPath) {
        $record = Get-Content -LiteralPath $ExternalNetworkRecordPath -Raw | ConvertFrom-Json
        if ($record.lastBootUpTime -eq (Get-LastBootUpTime)) {
            return @{ State = $record.state; Message = $record.message }
        }
    }
    @{ State = 'none'; Message = '' }
}

<#
.SYNOPSIS
Has the network made by a task of its own, and closes the SSH port until that has ended.

.DESCRIPTION
The task runs as SYSTEM, outside this session, which will be cut. Before it, a reboot is scheduled, which the task calls
off when the network is back: a machine that nobody can reach any more must not stay so.

.PARAMETER DelaySeconds
Seconds until it begins: this session must end with its result in that time.

.PARAMETER Address
The machine's own IPv4 address, which must be back afterwards.
#>
function Start-ExternalNetworkTask {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [int] $DelaySeconds,

        [Parameter(Mandatory = $true)]
        [string] $Address
    )

    Save-ExternalNetworkRecord -State 'running'
    # 1190: one is scheduled already.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" -TimeoutSeconds 30 `
        -ArgumentList '/r', '/f', '/t', $ExternalNetworkRescueSeconds, '/c', 'kindows: the network did not come back' `
        -SuccessExitCodes 0, 1190 -Remedy 'Look at the System event log on the machine.'
    $libraries = 'Step.ps1', 'NativeCommand.ps1', 'ExternalNetwork.ps1' |
        ForEach-Object { ". '$(Join-Path $PSScriptRoot $_)'" }
    $call = "Initialize-ExternalNetwork -DelaySeconds $DelaySeconds -Address $Address"
    $command = (@($libraries) + $call) -join '; '
    $action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" `
        -Argument "-NoProfile -NonInteractive -ExecutionPolicy Bypass -Command `"$command`""
    $principal = New-ScheduledTaskPrincipal -UserId 'SYSTEM' -LogonType ServiceAccount -RunLevel Highest
    $null = Register-ScheduledTask -TaskName $ExternalNetworkTaskName -Action $action -Principal $principal -Force
    Start-ScheduledTask -TaskName $ExternalNetworkTaskName

    # As before a reboot: nobody shall connect until it is over, and take the machine for one that is through.
    $sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
    if ($null -ne $sshd -and $sshd.Status -eq 'Running') {
        $sshd.Stop()
    }
}

<#
.SYNOPSIS
The task: makes the network, waits for the machine's address, tells Calico, and opens the SSH port again.

.PARAMETER DelaySeconds
Seconds until it begins.

.PARAMETER Address
The machine's own IPv4 address.
#>
function Initialize-ExternalNetwork {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [int] $DelaySeconds,

        [Parameter(Mandatory = $true)]
        [string] $Address
    )

    try {
        Start-Sleep -Seconds $DelaySeconds
        if (-not (Test-ExternalNetwork)) {
            New-ExternalNetwork
        }
        Wait-OwnAddress -Address $Address -TimeoutSeconds 180
        Set-CalicoBootTime
        Save-ExternalNetworkRecord -State 'done'
        # 1116: no reboot was scheduled.
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\shutdown.exe" -ArgumentList '/a' `
            -TimeoutSeconds 30 -SuccessExitCodes 0, 1116 -Remedy 'Look at the System event log on the machine.'
    }
    catch {
        # The scheduled reboot stands.
        $cause = $_.Exception.GetBaseException()
        Save-ExternalNetworkRecord -State 'failed' -Message $cause.Message
    }
    finally {
        $sshd = Get-Service -Name 'sshd' -ErrorAction SilentlyContinue
        if ($null -ne $sshd -and $sshd.Status -ne 'Running') {
            $sshd.Start()
        }
        # What runs goes on without its task.
        Unregister-ScheduledTask -TaskName $ExternalNetworkTaskName -Confirm:$false
    }
}

<#
.SYNOPSIS
Asks HNS for the network, with the values Calico's own script uses (node-service.ps1), so that Calico finds its own.
#>
function New-ExternalNetwork {
    [CmdletBinding()]
    param()

    # Windows has cmdlets that show and remove HNS networks, but none that makes one.
    $signature = @'
[DllImport("vmcompute.dll")]
public static extern void HNSCall(
    [MarshalAs(UnmanagedType.LPWStr)] string method,
    [MarshalAs(UnmanagedType.LPWStr)] string path,
    [MarshalAs(UnmanagedType.LPWStr)] string request,
    [MarshalAs(UnmanagedType.LPWStr)] out string response);
'@
    $service = Add-Type -MemberDefinition $signature -Namespace 'Kindows' -Name 'HostNetworkingService' -PassThru
    $request = ConvertTo-Json -Depth 5 -Compress -InputObject @{
        Name    = 'External'
        Type    = 'Overlay'
        Subnets = @(@{
                AddressPrefix  = '192.168.255.0/30'
                GatewayAddress = '192.168.255.1'
                Policies       = @(@{ Type = 'VSID'; VSID = 9999 })
            })
    }
    $response = ''
    $service::HNSCall('POST', '/networks', $request, [ref]$response)
    if (-not (Test-ExternalNetwork)) {
        throw "HNS did not make the network External: $response"
    }
}

<#
.SYNOPSIS
Waits until an address is one of this machine's again, and asks for it anew half way: after the switch has been put on
the adapter, Windows sometimes stays with one of its own making (169.254.x.x).

.PARAMETER Address
IPv4 address.

.PARAMETER TimeoutSeconds
Seconds to wait at most.
#>
function Wait-OwnAddress {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Address,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    $clock = [Diagnostics.Stopwatch]::StartNew()
    $isRenewed = $false
    while (-not (Test-OwnAddress -Address $Address)) {
        if ($clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            $seen = @(Get-NetIPAddress -AddressFamily IPv4 | ForEach-Object { $_.IPAddress }) -join ', '
            throw "The address $Address did not come back in $TimeoutSeconds s; the machine has $seen."
        }
        if (-not $isRenewed -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds / 2) {
            $isRenewed = $true
            $filter = 'DHCPEnabled=TRUE AND IPEnabled=TRUE'
            foreach ($adapter in Get-CimInstance -ClassName Win32_NetworkAdapterConfiguration -Filter $filter) {
                $answer = Invoke-CimMethod -InputObject $adapter -MethodName 'RenewDHCPLease'
                if ($answer.ReturnValue -ne 0) {
                    Write-StepProgress -Message "renewing a lease failed: $($answer.ReturnValue)"
                }
            }
        }
        Start-Sleep -Seconds 2
    }
}

<#
.SYNOPSIS
Tells Calico that its networks belong to this boot: otherwise it removes and makes them anew when it first runs.

.DESCRIPTION
As Calico's scripts write and compare it (libs\calico\calico.psm1): the format G of the account SYSTEM, which this runs
as, like Calico's own pods.
#>
function Set-CalicoBootTime {
    [CmdletBinding()]
    param()

    # With -Force on a key that is there, New-Item would empty it.
    if (-not (Test-Path -LiteralPath 'HKLM:\Software\Tigera\Calico')) {
        $null = New-Item -Path 'HKLM:\Software\Tigera\Calico' -Force
    }
    $bootTime = (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToString('G')
    Set-ItemProperty -LiteralPath 'HKLM:\Software\Tigera\Calico' -Name 'LastBootTime' -Value $bootTime
}
