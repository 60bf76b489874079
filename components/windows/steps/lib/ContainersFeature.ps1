# The Windows feature Containers.

# Enabled, EnablePending, Disabled, DisabledWithPayloadRemoved or DisablePending. Asked of DISM, because
# Get-WindowsFeature may go through WinRM, which is disabled on machines from an image.
function Get-ContainersFeatureState {
    [string](Get-WindowsOptionalFeature -Online -FeatureName 'Containers').State
}

function Assert-ContainersFeature {
    $feature = Get-ContainersFeatureState
    if ($feature -ne 'Enabled') {
        Stop-Step -Code 'FeatureMissing' -Message "The feature Containers is $feature." `
            -Remedy 'Run Enable-ContainersFeature and Confirm-Reboot first.'
    }
}
