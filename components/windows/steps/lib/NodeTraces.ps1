# What a node leaves in Windows' own settings: environment, registry, firewall, Defender.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'FirewallRule.ps1')

# Calico's scripts set the variables and the key; the second rule is theirs, too (VXLAN).
$NodeVariablePattern = '^(CALICO_|FELIX_|KUBE_NETWORK$|IP_AUTODETECTION_METHOD$)'
$CalicoRegistryKey = 'HKLM:\Software\Tigera'
$NodeFirewallRules = @('kubelet', 'OverlayTraffic4789UDP')

function Remove-NodeVariable {
    foreach ($name in @([Environment]::GetEnvironmentVariables('Machine').Keys)) {
        if ($name -match $NodeVariablePattern) {
            [Environment]::SetEnvironmentVariable($name, $null, 'Machine')
            "variable $name"
        }
    }
}

function Remove-CalicoRegistryKey {
    if (Test-Path -LiteralPath $CalicoRegistryKey) {
        Remove-Item -LiteralPath $CalicoRegistryKey -Recurse -Force
        "registry key $CalicoRegistryKey"
    }
}

function Remove-NodeFirewallRule {
    Remove-FirewallRule -Name $NodeFirewallRules
}

# Removes Defender's exclusions of what lies in these folders.
function Remove-NodeExclusion {
    param([string[]] $Folder)
    # Defender is a feature that may be gone.
    if ($null -eq (Get-Command -Name 'Get-MpPreference' -ErrorAction SilentlyContinue)) {
        return
    }
    $ours = {
        param($path)
        @($Folder | Where-Object { $path -eq $_ -or $path -like "$_\*" }).Count -gt 0
    }
    try {
        $preference = Get-MpPreference -ErrorAction Stop
    }
    catch {
        # One that is switched off answers nothing, took none either, and keeps nothing else from being removed.
        Write-StepProgress -Message "Defender does not tell its exclusions: $($_.Exception.Message)"
        return
    }
    foreach ($path in @($preference.ExclusionPath) | Where-Object { $_ -and $ours.Invoke($_)[0] }) {
        Remove-MpPreference -ExclusionPath $path -ErrorAction Stop
        "Defender's exclusion of $path"
    }
    foreach ($path in @($preference.ExclusionProcess) | Where-Object { $_ -and $ours.Invoke($_)[0] }) {
        Remove-MpPreference -ExclusionProcess $path -ErrorAction Stop
        "Defender's exclusion of $path"
    }
}
