# The Windows feature Containers.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Available, Installed, InstallPending, UninstallPending or Removed.
function Get-ContainersFeatureState {
    [string](Get-WindowsFeature -Name 'Containers').InstallState
}
