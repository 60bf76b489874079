# Routes to the cluster's ranges. One is written "range=next hop", e.g. 10.244.0.0/16=192.168.150.128. Those of our own
# stand in a record, as Windows keeps no note of who made a route.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$RouteRecordPath = 'C:\kindows\state\routes.json'
# What is in force, and what comes back with a boot.
$RouteStores = @('ActiveStore', 'PersistentStore')

<#
.SYNOPSIS
Returns the routes that were made here; nothing where there are none.
#>
function Get-RouteRecord {
    [CmdletBinding()]
    [OutputType([string[]])]
    param()

    if (Test-Path -LiteralPath $RouteRecordPath) {
        # What a power cut has left empty, or half written, names none.
        $text = [IO.File]::ReadAllText($RouteRecordPath)
        if ($text -match '^\{.*\}$') {
            (ConvertFrom-Json -InputObject $text).routes
        }
    }
}

<#
.SYNOPSIS
Writes down which routes are our own.

.PARAMETER Route
All of them; none removes the record.
#>
function Save-RouteRecord {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [AllowEmptyCollection()]
        [string[]] $Route
    )

    if ($Route.Count -eq 0) {
        if (Test-Path -LiteralPath $RouteRecordPath) {
            Remove-Item -LiteralPath $RouteRecordPath -Force
        }
        return
    }
    $record = [ordered]@{ routes = @($Route) }
    Write-WholeText -Path $RouteRecordPath -Text (ConvertTo-Json -InputObject $record -Compress)
}

<#
.SYNOPSIS
Returns the next hops of the routes to a destination, as Windows has them.

.PARAMETER Destination
IPv4 range in CIDR form.

.PARAMETER Store
ActiveStore: in force; PersistentStore: comes back with a boot.
#>
function Get-NextHop {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Destination,

        [Parameter(Mandatory = $true)]
        [string] $Store
    )

    # All of them are read: asked for one that is not there, Get-NetRoute ends with an error, as it may for a store
    # without any.
    Get-NetRoute -PolicyStore $Store -ErrorAction SilentlyContinue |
        Where-Object { $_.DestinationPrefix -eq $Destination } |
        ForEach-Object { $_.NextHop }
}

<#
.SYNOPSIS
Returns an IPv4 address as its 32 bits, in the characters 0 and 1.

.PARAMETER Address
IPv4 address.
#>
function ConvertTo-AddressBit {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Address
    )

    $bytes = ([Net.IPAddress]$Address).GetAddressBytes()
    @($bytes | ForEach-Object { [Convert]::ToString($_, 2).PadLeft(8, '0') }) -join ''
}

<#
.SYNOPSIS
Returns the number of the adapter on whose segment a next hop is; stops the step where there is none.

.PARAMETER NextHop
IPv4 address.
#>
function Get-SegmentAdapter {
    [CmdletBinding()]
    [OutputType([int])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $NextHop
    )

    $bits = ConvertTo-AddressBit -Address $NextHop
    $own = @(Get-NetIPAddress -AddressFamily IPv4 -ErrorAction Stop)
    foreach ($each in $own) {
        $length = [int]$each.PrefixLength
        $segment = (ConvertTo-AddressBit -Address $each.IPAddress).Substring(0, $length)
        # An address of its own leads nowhere.
        if ($each.IPAddress -ne $NextHop -and $bits.Substring(0, $length) -eq $segment) {
            return [int]$each.InterfaceIndex
        }
    }
    $seen = @($own | ForEach-Object { "$($_.IPAddress)/$($_.PrefixLength)" }) -join ', '
    Stop-Step -Code 'NextHopOffSegment' `
        -Message "$NextHop is to carry packets on, and is no neighbour of this machine. It has $seen." `
        -Remedy 'Give the machine an address on the segment of the control plane, or look at which address that has.'
}

<#
.SYNOPSIS
Stops the step where somebody else's route leads to a destination by another way.

.PARAMETER Route
The route that is wanted.

.PARAMETER Own
Routes that were made here.
#>
function Assert-RouteFree {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Route,

        [Parameter(Mandatory = $true)]
        [AllowEmptyCollection()]
        [string[]] $Own
    )

    $destination, $nextHop = $Route -split '=', 2
    foreach ($store in $RouteStores) {
        foreach ($other in @(Get-NextHop -Destination $destination -Store $store)) {
            if ($other -ne $nextHop -and $Own -notcontains "$destination=$other") {
                Stop-Step -Code 'ForeignRoute' `
                    -Message "This machine has a route to $destination by way of $other; it must be $nextHop." `
                    -Remedy "Remove that route on the machine: route.exe delete $($destination -replace '/.*$', '')"
            }
        }
    }
}

<#
.SYNOPSIS
Returns the stores that have a route, of $RouteStores.

.PARAMETER Route
The route.
#>
function Get-RouteStore {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Route
    )

    $destination, $nextHop = $Route -split '=', 2
    foreach ($store in $RouteStores) {
        if (@(Get-NextHop -Destination $destination -Store $store) -contains $nextHop) {
            $store
        }
    }
}

<#
.SYNOPSIS
Makes a route, for now and for after a boot.

.PARAMETER Route
The route.

.PARAMETER Adapter
Number of the adapter it leads out by.
#>
function Add-ClusterRoute {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Route,

        [Parameter(Mandatory = $true)]
        [int] $Adapter
    )

    # One that is in a single store would be in the way of the new one.
    $null = Remove-ClusterRoute -Route $Route
    $destination, $nextHop = $Route -split '=', 2
    # Without a store it goes into both.
    $null = New-NetRoute -DestinationPrefix $destination -InterfaceIndex $Adapter -NextHop $nextHop `
        -ErrorAction Stop
}

<#
.SYNOPSIS
Removes a route from both stores; returns whether it was in any.

.PARAMETER Route
The route.
#>
function Remove-ClusterRoute {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Route
    )

    $destination, $nextHop = $Route -split '=', 2
    $stores = @(Get-RouteStore -Route $Route)
    foreach ($store in $stores) {
        Remove-NetRoute -DestinationPrefix $destination -NextHop $nextHop -PolicyStore $store -Confirm:$false `
            -ErrorAction Stop
    }
    $stores.Count -gt 0
}

<#
.SYNOPSIS
Removes the routes that were made here, and their record; returns a line for each.
#>
function Remove-NodeRoute {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    foreach ($route in @(Get-RouteRecord)) {
        if (Remove-ClusterRoute -Route $route) {
            "route to $($route -replace '=.*$', '')"
        }
    }
    Save-RouteRecord -Route @()
}
