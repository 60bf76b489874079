# Files a step needs: from the machine's media folder, where an image or a push put them, or else from their address.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$MediaFolder = 'C:\kindows\media'

<#
.SYNOPSIS
Tells whether a file has the given SHA-256.

.PARAMETER Path
The file; one that is not there has no checksum.

.PARAMETER Checksum
64 hexadecimal digits in either case.
#>
function Test-FileChecksum {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Checksum
    )

    (Test-Path -LiteralPath $Path -PathType Leaf) -and
    ((Get-FileHash -LiteralPath $Path -Algorithm SHA256).Hash -eq $Checksum)
}

<#
.SYNOPSIS
Downloads a file by https to a path, with a bounded number of tries.

.PARAMETER Uri
https address of the file.

.PARAMETER Path
Where to put it.
#>
function Save-Download {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Uri,

        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    # Windows' own curl, not Invoke-WebRequest: that one has no limit for a download that only trickles, offers TLS 1.0
    # first, and follows a redirect to an address without encryption.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\curl.exe" -ArgumentList @(
        '--fail', '--location', '--silent', '--show-error', '--proto', '=https', '--tlsv1.2',
        '--connect-timeout', '20', '--retry', '3', '--retry-delay', '5', '--retry-connrefused',
        '--output', $Path, $Uri
    ) -TimeoutSeconds 1200 -FailureCode 'DownloadFailed' -TimeoutCode 'DownloadFailed' `
        -Remedy "Give the machine a way to $Uri, or put the file into $MediaFolder\<sha256>\ on it."
}

<#
.SYNOPSIS
Returns the path of a file with the given checksum and where it came from (media or download).

.PARAMETER Uri
https address; the last part of its path is the file's name.

.PARAMETER Checksum
SHA-256 of the file, 64 hexadecimal digits.
#>
function Get-Medium {
    [CmdletBinding()]
    [OutputType([System.Collections.IDictionary])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Uri,

        [Parameter(Mandatory = $true)]
        [string] $Checksum
    )

    $name = ([Uri]$Uri).Segments[-1]
    $folder = Join-Path $MediaFolder $Checksum.ToLowerInvariant()
    $path = Join-Path $folder $name
    if (Test-FileChecksum -Path $path -Checksum $Checksum) {
        return @{ Path = $path; From = 'media' }
    }

    $null = New-Item -Path $folder -ItemType Directory -Force
    # Renamed only when it is whole and right: a file that a killed step left half written never counts.
    $partial = "$path.partial"
    Save-Download -Uri $Uri -Path $partial
    if (-not (Test-FileChecksum -Path $partial -Checksum $Checksum)) {
        $actual = (Get-FileHash -LiteralPath $partial -Algorithm SHA256).Hash.ToLowerInvariant()
        Remove-Item -LiteralPath $partial -Force
        Stop-Step -Code 'ChecksumMismatch' `
            -Message "$Uri has the SHA-256 $actual, expected was $($Checksum.ToLowerInvariant())." `
            -Remedy 'Compare with the checksum its publisher gives; a proxy or mirror may have sent something else.'
    }
    Move-Item -LiteralPath $partial -Destination $path -Force
    @{ Path = $path; From = 'download' }
}
