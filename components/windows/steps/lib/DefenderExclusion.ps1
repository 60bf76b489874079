# Exclusions from Microsoft Defender, whose scanning makes a Windows image take minutes longer to unpack
# (microsoft/Windows-Containers#92, containerd/containerd#4989).

# Files that an excluded program opens are not scanned. Returns Changed, and State: set, off or unavailable. A machine
# without Defender, or with a policy that allows no exclusions, is not an error, because a node works without
# exclusions.
function Set-DefenderExclusion {
    param([bool] $Enabled, [string[]] $Folder, [string[]] $Program)
    if ($null -eq (Get-Command -Name 'Get-MpPreference' -ErrorAction SilentlyContinue)) {
        return @{ Changed = $false; State = 'unavailable' }
    }
    try {
        $preference = Get-MpPreference -ErrorAction Stop
        $known = @($preference.ExclusionPath) + @($preference.ExclusionProcess)
        $present = @(($Folder + $Program) | Where-Object { $known -contains $_ })
        if ($Enabled) {
            $changed = $present.Count -lt $Folder.Count + $Program.Count
            if ($changed) {
                Add-MpPreference -ExclusionPath $Folder -ExclusionProcess $Program -ErrorAction Stop
            }
            return @{ Changed = $changed; State = 'set' }
        }
        # One by one, because Windows may refuse a whole list with one exclusion that does not exist.
        foreach ($path in $present) {
            if ($Folder -contains $path) {
                Remove-MpPreference -ExclusionPath $path -ErrorAction Stop
            }
            else {
                Remove-MpPreference -ExclusionProcess $path -ErrorAction Stop
            }
        }
        @{ Changed = $present.Count -gt 0; State = 'off' }
    }
    catch {
        Write-StepProgress -Message "Defender's exclusions could not be changed: $($_.Exception.Message)"
        @{ Changed = $false; State = 'unavailable' }
    }
}
