# The Windows feature Containers.

# Available, Installed, InstallPending, UninstallPending or Removed.
function Get-ContainersFeatureState {
    [string](Get-WindowsFeature -Name 'Containers').InstallState
}

function Assert-ContainersFeature {
    $feature = Get-ContainersFeatureState
    if ($feature -ne 'Installed') {
        Stop-Step -Code 'FeatureMissing' -Message "The feature Containers is $feature." `
            -Remedy 'Run Enable-ContainersFeature and Confirm-Reboot first.'
    }
}
