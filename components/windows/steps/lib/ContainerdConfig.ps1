# containerd's configuration: its own default with a few values changed, each in its own section.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Changes the sandbox image, the CNI folders and, where given, the folder of the registries' mirrors in the output of
# `containerd.exe config default`. Only inside these sections (containerd 2.x): a bin_dir elsewhere, such as that of the
# image verifier, means something else, and containerd then takes every file in it for a verifier and rejects every
# image. All folders are with forward slashes.
function Edit-ContainerdConfig {
    param(
        [string] $Text,
        [string] $PauseImage,
        [string] $CniBinDirectory,
        [string] $CniConfDirectory,
        [string] $RegistryFolder = ''
    )
    $images = "plugins.'io.containerd.cri.v1.images'.pinned_images"
    $cni = "plugins.'io.containerd.cri.v1.runtime'.cni"
    $values = @{
        "$images/sandbox" = "'$PauseImage'"
        "$cni/bin_dirs"   = "['$CniBinDirectory']"
        "$cni/conf_dir"   = "'$CniConfDirectory'"
    }

    if ($RegistryFolder -ne '') {
        $values["plugins.'io.containerd.cri.v1.images'.registry/config_path"] = "'$RegistryFolder'"
    }

    $section = ''
    $found = @()
    $lines = foreach ($line in $Text -split '\r?\n') {
        if ($line -match '^\s*\[(?<section>[^\[\]]+)\]\s*$') {
            $section = $Matches['section']
        }
        elseif ($line -match '^(?<assignment>\s*(?<key>[A-Za-z_]+)\s*=)') {
            $path = "$section/$($Matches['key'])"
            if ($values.ContainsKey($path)) {
                $found += $path
                $line = "$($Matches['assignment']) $($values[$path])"
            }
        }
        $line
    }

    $missing = @($values.Keys | Where-Object { $found -notcontains $_ } | Sort-Object)
    if ($missing.Count -gt 0) {
        Stop-Step -Code 'ConfigurationUnknown' `
            -Message "containerd's default configuration has no $($missing -join ', no ')." `
            -Remedy 'Set windows.containerdVersion to a supported 2.x version.'
    }
    $lines -join "`n"
}
