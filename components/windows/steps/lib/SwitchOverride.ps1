# Changes of Windows' virtual switch that updates brought, and registry values that switch them, as Kubernetes'
# image-builder sets them in all its images (images/capi/ansible/windows/roles/systemprep/tasks/main.yml, of April 2025
# and February 2026). Microsoft does not document the numbers. Without them, packets between pods may get lost. A value
# is without effect in a Windows whose updates have settled it.

$SwitchOverrideKey = 'HKLM:\SYSTEM\CurrentControlSet\Policies\Microsoft\FeatureManagement\Overrides'
$SwitchOverrides = @{
    20348 = @{ Name = '1114842764'; Value = 0 }
    26100 = @{ Name = '520997518'; Value = 1 }
}

# Whether Windows has its value, or needs none.
function Test-SwitchOverride {
    param([int] $Build)
    $override = $SwitchOverrides[$Build]
    if ($null -eq $override) { return $true }
    (Test-Path -LiteralPath $SwitchOverrideKey) -and
    (Get-Item -LiteralPath $SwitchOverrideKey).GetValue($override.Name) -eq $override.Value
}

function Set-SwitchOverride {
    param([int] $Build)
    if (Test-SwitchOverride -Build $Build) { return }
    if (-not (Test-Path -LiteralPath $SwitchOverrideKey)) { $null = New-Item -Path $SwitchOverrideKey -Force }
    $override = $SwitchOverrides[$Build]
    $null = New-ItemProperty -LiteralPath $SwitchOverrideKey -Name $override.Name -PropertyType DWord `
        -Value $override.Value -Force
}
