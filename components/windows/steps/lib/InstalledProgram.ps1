# Single-file programs: put in place whole or not at all, and asked what they are.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Puts a program in place unless it is there with the right checksum and version; returns installed or media.

.PARAMETER Path
Full path the program shall have.

.PARAMETER Medium
Full path of the file among the media.

.PARAMETER Checksum
Its SHA-256.

.PARAMETER Service
Service that runs the program and must be stopped before it can be replaced. Empty: none.

.PARAMETER Version
The wanted version, without a leading v. Empty: it is not asked.

.PARAMETER VersionArgument
Arguments that make it say its version.
#>
function Install-Program {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Medium,

        [Parameter(Mandatory = $true)]
        [string] $Checksum,

        [string] $Service = '',

        [string] $Version = '',

        [string[]] $VersionArgument = @()
    )

    if (Test-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version) {
        return 'installed'
    }
    $from = 'installed'
    if (-not (Test-FileChecksum -Path $Path -Checksum $Checksum)) {
        Assert-Medium -Path $Medium -Checksum $Checksum
        Copy-Item -LiteralPath $Medium -Destination "$Path.new" -Force
        if ($Service -ne '' -and $null -ne (Get-Service -Name $Service -ErrorAction SilentlyContinue)) {
            Stop-ServiceInTime -Name $Service
        }
        Move-FileIntoPlace -Source "$Path.new" -Target $Path
        $from = 'media'
    }
    if ($Version -ne '') {
        Assert-ProgramVersion -Path $Path -ArgumentList $VersionArgument -Version $Version
    }
    Save-CheckedProgram -Path $Path -Checksum $Checksum -Version $Version
    $from
}

<#
.SYNOPSIS
Stops the step unless a program of Kubernetes says it has the wanted version.

.PARAMETER Path
Full path of the program.

.PARAMETER ArgumentList
Arguments that make it say its version.

.PARAMETER Version
The wanted version, without a leading v.
#>
function Assert-ProgramVersion {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string[]] $ArgumentList,

        [Parameter(Mandatory = $true)]
        [string] $Version
    )

    $answer = Invoke-NativeCommand -FilePath $Path -ArgumentList $ArgumentList -TimeoutSeconds 60 `
        -Remedy "Look whether $Path is a program for windows-amd64."
    if ($answer -notmatch 'v(?<version>[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?)' -or $Matches['version'] -ne $Version) {
        Stop-Step -Code 'VersionMismatch' -Message "$Path says '$($answer.Trim())', expected was version $Version." `
            -Remedy 'Set cluster.kubernetesVersion and the checksums of its Windows programs to the same release.'
    }
}
