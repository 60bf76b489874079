<#
.SYNOPSIS
Adds routes to the cluster's ranges by way of Linux nodes, and removes the routes of an earlier run.

.DESCRIPTION
For machines without a pod network: packets to pods and Services go to a node on the same segment, whose kernel and
kube-proxy forward them. The routes persist across reboots. C:\kindows\state\routes.json records the routes that this
step has added; no other route is changed or removed. If a wanted route exists already, it is used but not recorded.

.PARAMETER Route
The routes, as range=next hop pairs separated by semicolons, e.g. 10.244.0.0/16=192.168.150.128. A next hop must be on
a segment of the machine. Empty: no routes; those of an earlier run are removed. Default: none, mandatory. Source:
stacks/cluster-routes.ts.

.OUTPUTS
Facts of the result (lib/Step.ps1): routes.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 16 DiskFull; 25
ForeignRoute; 26 NextHopOffSegment.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)] [AllowEmptyString()] [ValidatePattern('^(?!.*(2(5[6-9]|[6-9][0-9])|[3-9][0-9]{2}|/(3[3-9]|[4-9][0-9])))([0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}=[0-9]{1,3}(\.[0-9]{1,3}){3}(;[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}=[0-9]{1,3}(\.[0-9]{1,3}){3})*)?$')]
    [string] $Route
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\ClusterRoute.ps1')

Invoke-Step -Name 'Set-ClusterRoute' -Body {
    $own = @(Get-RouteRecord)
    $wanted = @($Route -split ';' | Where-Object { $_ -ne '' })
    $adapters = @{}
    foreach ($each in $wanted) {
        $adapters[$each] = Get-SegmentAdapter -NextHop ($each -replace '^.*=', '')
        Assert-RouteFree -Route $each -Own $own
    }
    # An existing route that is not ours stays somebody else's, even if it will not survive a reboot.
    $mine = @($wanted | Where-Object { $own -contains $_ -or @(Get-RouteStore -Route $_).Count -eq 0 })

    # Recorded before they are added, so that an interrupted run leaves no unrecorded routes.
    $known = @(@($own) + @($mine) | Sort-Object -Unique)
    Save-RouteRecord -Route $known
    $changed = $false
    foreach ($each in $own | Where-Object { $wanted -notcontains $_ }) {
        $changed = (Remove-ClusterRoute -Route $each) -or $changed
    }
    foreach ($each in $mine | Where-Object { @(Get-RouteStore -Route $_).Count -lt $RouteStores.Count }) {
        Add-ClusterRoute -Route $each -Adapter $adapters[$each]
        $changed = $true
    }
    Save-RouteRecord -Route $mine

    New-StepResult -Changed $changed -Facts ([ordered]@{ routes = $Route })
}
