# Mirrors of image registries: one folder with a hosts.toml per registry, which containerd reads at each pull.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# First line of the files this step writes; files without it are somebody else's and stay as they are.
$RegistryMirrorMark = '# Written by kindows (Install-Containerd); changes are lost.'

<#
.SYNOPSIS
Returns a registry's hosts.toml: its mirrors in their order; containerd asks the registry itself after them.

.PARAMETER Mirror
https addresses of the mirrors.
#>
function Get-RegistryHostsFile {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string[]] $Mirror
    )

    $lines = @($RegistryMirrorMark) + @(
        foreach ($address in $Mirror) {
            ''
            "[host.`"$address`"]"
            '  capabilities = ["pull", "resolve"]'
        }
    )
    ($lines -join "`n") + "`n"
}

<#
.SYNOPSIS
Writes the mirrors' files and removes those of registries that have none any more; returns whether anything differed.

.PARAMETER Folder
containerd's config_path: the folder that holds one folder per registry.

.PARAMETER Mirrors
registry=address[,address...] entries separated by semicolons; empty for none.
#>
function Set-RegistryMirror {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Folder,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Mirrors
    )

    $changed = $false
    $wanted = @{}
    foreach ($entry in $Mirrors -split ';' | Where-Object { $_ -ne '' }) {
        $registry, $addresses = $entry -split '=', 2
        # A colon can't stand in a folder's name: containerd looks for host:port under host_port_ as well.
        $name = $registry -replace '^(.+):([0-9]+)$', '$1_$2_'
        $wanted[$name] = Get-RegistryHostsFile -Mirror ($addresses -split ',')
    }
    foreach ($name in $wanted.Keys) {
        $path = "$Folder\$name\hosts.toml"
        $current = if (Test-Path -LiteralPath $path) { [IO.File]::ReadAllText($path) } else { '' }
        if ($current -cne $wanted[$name]) {
            $null = New-Item -Path "$Folder\$name" -ItemType Directory -Force
            Write-WholeText -Path $path -Text $wanted[$name]
            $changed = $true
        }
    }
    if (Test-Path -LiteralPath $Folder) {
        foreach ($below in Get-ChildItem -LiteralPath $Folder -Directory) {
            $path = "$($below.FullName)\hosts.toml"
            if (-not $wanted.ContainsKey($below.Name) -and (Test-Path -LiteralPath $path) -and
                [IO.File]::ReadAllText($path).StartsWith($RegistryMirrorMark)) {
                Remove-Item -LiteralPath $path -Force
                $changed = $true
            }
        }
    }
    $changed
}
