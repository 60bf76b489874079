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

    $config = $Text -replace '\r\n', "`n"
    $missing = @()
    foreach ($path in $values.Keys | Sort-Object) {
        $section, $key = $path -split '/'
        # The section's line, the lines below it that begin no other section, and the key.
        $assignment = "(?m)^([ \t]*\[$($section.Replace('.', '\.'))\][ \t]*\n" +
        "(?:(?![ \t]*\[[^\[\]\n]+\][ \t]*\n).*\n)*?[ \t]*$key[ \t]*=).*"
        if ($config -notmatch $assignment) {
            $missing += $path
        }
        $config = $config -replace $assignment, "`$1 $($values[$path])"
    }
    if ($missing.Count -gt 0) {
        Stop-Step -Code 'ConfigurationUnknown' `
            -Message "containerd's default configuration has no $($missing -join ', no ')." `
            -Remedy 'Set windows.containerdVersion to a supported 2.x version.'
    }
    $config
}
