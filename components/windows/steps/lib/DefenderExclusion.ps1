# What Microsoft Defender leaves alone. Scanned file by file, unpacking one Windows image takes minutes longer
# (microsoft/Windows-Containers#92, containerd/containerd#4989).

# Programs: what files they open is not scanned. Returns Changed, and State: set, off or unavailable. A node works
# without exclusions, only slower. So a machine without Defender, or one whose policy allows no exclusions, is no error.
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
        # One by one: asked for one that is not there, Windows may refuse the others too.
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
