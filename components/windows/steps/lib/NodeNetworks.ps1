# Networks of a node in Windows' Host Networking Service.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Calico's own, by the names its scripts give them, Flannel's and OVN's; External is the one they and
# Confirm-ExternalNetwork put on the adapter.
$NodeNetworkPattern = '^(External|Calico.*|calico.*|cbr0|flannel\.[0-9]+|vxlan0|(Base)?OVNKubernetes.*)$'

# The last of them may cut the machine off for some seconds: this goes on meanwhile, and Windows' default network "nat"
# stays.
function Remove-NodeNetwork {
    # Without Containers there is no HNS.
    if ($null -eq (Get-Command -Name 'Get-HnsNetwork' -ErrorAction SilentlyContinue)) {
        return
    }
    # Where HNS has none, its module may give one $null.
    $networks = @(Get-HnsNetwork -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $_.Name -match $NodeNetworkPattern })
    $ids = @($networks | ForEach-Object { $_.ID })
    if ($ids.Count -eq 0) {
        return
    }
    # Endpoints go while this runs, with their pods: one that is gone already is no error.
    $endpoints = @(Get-HnsEndpoint -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $ids -contains $_.VirtualNetwork })
    foreach ($endpoint in $endpoints) {
        $endpoint | Remove-HnsEndpoint -ErrorAction Continue
    }
    # External last: it is the one that holds the machine's own adapter.
    $left = @()
    foreach ($network in @($networks | Sort-Object -Property { $_.Name -eq 'External' })) {
        try {
            $network | Remove-HnsNetwork -ErrorAction Stop
            "network $($network.Name)"
        }
        catch {
            $left += "$($network.Name): $($_.Exception.Message)"
        }
    }
    if ($left.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Reboot the machine, then run again.' -Message ($left -join '; ')
    }
}
