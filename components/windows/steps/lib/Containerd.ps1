# containerd's configuration, its registry mirrors, and crictl.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Changes the sandbox image, the CNI folders and, if given, the folder of registry mirrors in the output of
# `containerd.exe config default`. Only keys inside these sections (containerd 2.x) are changed. The image verifier has
# a bin_dir too: containerd would treat every file in it as a verifier and reject every image. Folders have forward
# slashes.
function Edit-ContainerdConfig {
    param(
        [string] $Text, [string] $PauseImage, [string] $CniBinDirectory, [string] $CniConfDirectory,
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
        if ($config -notmatch $assignment) { $missing += $path }
        $config = $config -replace $assignment, "`$1 $($values[$path])"
    }
    if ($missing.Count -gt 0) {
        Stop-Step -Code 'ConfigurationUnknown' `
            -Message "containerd's default configuration has no $($missing -join ', no ')." `
            -Remedy 'Set windows.containerdVersion to a supported 2.x version.'
    }
    $config
}

# First line of the files that this step writes. Files without it belong to somebody else and are not changed.
$RegistryMirrorMark = '# Written by kindows (Install-Containerd); changes are lost.'

# containerd tries the mirrors in this order, and the registry itself after them. It appends /v2 to an address that does
# not end with it, unless told that the address has it already, e.g. https://harbor.example.com/v2/PROJECT: the wrong
# one would not be found, and containerd would silently go to the registry.
function Get-RegistryHostsFile {
    param([string[]] $Mirror)
    $lines = @($RegistryMirrorMark) + @(
        foreach ($address in $Mirror) {
            ''
            "[host.`"$address`"]"
            '  capabilities = ["pull", "resolve"]'
            if ($address -match '^https?://[^/]+(/.*)?/v2/') { '  override_path = true' }
        }
    )
    ($lines -join "`n") + "`n"
}

# $Folder is containerd's config_path, $Mirrors has registry=address[,address...] entries separated by semicolons. The
# files of registries without a mirror are removed. Returns whether anything changed.
function Set-RegistryMirror {
    param([string] $Folder, [string] $Mirrors)
    $changed = $false
    $wanted = @{}
    foreach ($entry in $Mirrors -split ';' | Where-Object { $_ -ne '' }) {
        $registry, $addresses = $entry -split '=', 2
        # A folder's name can't contain a colon. containerd also looks for host:port under host_port_.
        $name = $registry -replace '^(.+):([0-9]+)$', '$1_$2_'
        $wanted[$name] = Get-RegistryHostsFile -Mirror ($addresses -split ',')
    }
    foreach ($name in $wanted.Keys) {
        $changed = (Set-WholeText -Path "$Folder\$name\hosts.toml" -Text $wanted[$name]) -or $changed
    }
    if (Test-Path -LiteralPath $Folder) {
        foreach ($below in Get-ChildItem -LiteralPath $Folder -Directory) {
            $path = "$($below.FullName)\hosts.toml"
            if (-not $wanted.ContainsKey($below.Name) -and
                (Read-WholeText -Path $path).StartsWith($RegistryMirrorMark)) {
                Remove-Item -LiteralPath $path -Force
                $changed = $true
            }
        }
    }
    $changed
}

# Installs crictl, a tool for debugging a node, or removes it if no archive is given. Its configuration is in its own
# folder, where crictl finds it for every account without a %USERPROFILE%\.crictl\crictl.yaml (cri-tools, pkg/common:
# GetServerConfigFromFile). State: none, installed or media.
function Install-Crictl {
    param([string] $Folder, [string] $Archive, [string] $Checksum)
    $program = "$Folder\crictl.exe"
    $configPath = "$Folder\crictl.yaml"
    # Install-ArchivedProgram writes the archive's checksum to it.
    $markPath = "$Folder\crictl.sha256"
    if ($Archive -eq '' -or $Checksum -eq '') {
        $left = @($markPath, $configPath, $program | Where-Object { Test-Path -LiteralPath $_ })
        foreach ($path in $left) { Remove-Item -LiteralPath $path -Force }
        return [pscustomobject]@{ State = 'none'; Changed = ($left.Count -gt 0) }
    }

    $state = Install-ArchivedProgram -Archive $Archive -Checksum $Checksum -Folder $Folder -Name 'crictl' `
        -File @{ 'crictl.exe' = 'crictl.exe' }

    $text = @(
        'runtime-endpoint: npipe:////./pipe/containerd-containerd'
        'image-endpoint: npipe:////./pipe/containerd-containerd'
        'timeout: 30'
        ''
    ) -join "`n"
    $isConfigured = Set-WholeText -Path $configPath -Text $text
    [pscustomobject]@{ State = $state; Changed = ($state -eq 'media' -or $isConfigured) }
}
