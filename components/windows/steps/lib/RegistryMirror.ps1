# Mirrors of image registries: one folder with a hosts.toml per registry, which containerd reads at each pull.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# First line of the files this step writes; files without it are somebody else's and stay as they are.
$RegistryMirrorMark = '# Written by kindows (Install-Containerd); changes are lost.'

# containerd asks the mirrors in their order, and the registry itself after them.
function Get-RegistryHostsFile {
    param([string[]] $Mirror)
    $lines = @($RegistryMirrorMark) + @(
        foreach ($address in $Mirror) {
            ''
            "[host.`"$address`"]"
            '  capabilities = ["pull", "resolve"]'
        }
    )
    ($lines -join "`n") + "`n"
}

# $Folder is containerd's config_path, $Mirrors has registry=address[,address...] entries separated by semicolons. The
# files of registries that have no mirror any more are removed. Returns whether anything differed.
function Set-RegistryMirror {
    param([string] $Folder, [string] $Mirrors)
    $changed = $false
    $wanted = @{}
    foreach ($entry in $Mirrors -split ';' | Where-Object { $_ -ne '' }) {
        $registry, $addresses = $entry -split '=', 2
        # A colon can't stand in a folder's name: containerd looks for host:port under host_port_ as well.
        $name = $registry -replace '^(.+):([0-9]+)$', '$1_$2_'
        $wanted[$name] = Get-RegistryHostsFile -Mirror ($addresses -split ',')
    }
    foreach ($name in $wanted.Keys) {
        if (Set-WholeText -Path "$Folder\$name\hosts.toml" -Text $wanted[$name]) {
            $changed = $true
        }
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
