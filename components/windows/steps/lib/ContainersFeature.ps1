# The Windows feature Containers.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Returns the state of the feature Containers: Available, Installed, InstallPending, UninstallPending or Removed.
#>
function Get-ContainersFeatureState {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    [string](Get-WindowsFeature -Name 'Containers').InstallState
}
