# The machine's own addresses.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Returns this machine's IPv4 addresses, that of the loopback too.
#>
function Get-OwnAddress {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop | ForEach-Object { $_.IPAddress }
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

    @(Get-OwnAddress) -contains $Address
}

<#
.SYNOPSIS
Stops the step unless an address is one of this machine's.

.PARAMETER Address
IPv4 address the node shall register with.
#>
function Assert-NodeAddress {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Address
    )

    if (Test-OwnAddress -Address $Address) {
        return
    }
    $found = @(Get-OwnAddress | Where-Object { $_ -ne '127.0.0.1' })
    $seen = if ($found.Count -eq 0) { 'none' } else { $found -join ', ' }
    Stop-Step -Code 'NodeIpMissing' `
        -Message "The node shall register with $Address, which is no address of this machine. It has: $seen." `
        -Remedy 'Set nodes[].nodeIp to one that the machine has and other nodes reach, or give its adapter this one.'
}

<#
.SYNOPSIS
Waits until an address is one of this machine's again and stays, and asks for it anew half way: after the switch has
been put on the adapter, Windows sometimes stays with one of its own making (169.254.x.x).

.DESCRIPTION
Right after the switch was asked for the address may still be there, and go a second later: it has to be there for 10 s.

.PARAMETER Address
IPv4 address.

.PARAMETER Ready
Tells whether the switch is on the adapter.

.PARAMETER TimeoutSeconds
Seconds to wait at most.
#>
function Wait-OwnAddress {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Address,

        [Parameter(Mandatory = $true)]
        [scriptblock] $Ready,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    $clock = [Diagnostics.Stopwatch]::StartNew()
    $isRenewed = $false
    $looks = 0
    while ($true) {
        $isThere = (Test-OwnAddress -Address $Address) -and (& $Ready)
        $looks = if ($isThere) { $looks + 1 } else { 0 }
        if ($looks -gt 5) {
            return
        }
        if (-not $isThere -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds) {
            $seen = @(Get-OwnAddress) -join ', '
            throw "The address $Address did not come back in $TimeoutSeconds s; the machine has $seen."
        }
        if (-not $isThere -and -not $isRenewed -and $clock.Elapsed.TotalSeconds -gt $TimeoutSeconds / 2) {
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
