# Programs out of an archive, and files that come with a command line: put in place whole or not at all.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Returns media, or installed where the programs are there from this very archive already. $Name is the stem of the file
# that remembers the archive, $File gives the name each shall have by its name in the archive, and $Service, where
# given, runs one of them. $Inside is the folder of the archive that they lie in, such as bin\; $WithRest brings along
# what else lies there.
function Install-ArchivedProgram {
    param(
        [string] $Archive,
        [string] $Checksum,
        [string] $Folder,
        [string] $Name,
        [hashtable] $File,
        [string] $Service = '',
        [string] $Inside = '',
        [bool] $WithRest = $false
    )
    # Written last: what is half in place lacks it.
    $markPath = "$Folder\$Name.sha256"
    $mark = (Read-WholeText -Path $markPath).Trim()
    $missing = @($File.Values | Where-Object { -not (Test-Path -LiteralPath "$Folder\$_") })
    if ($mark -eq $Checksum -and $missing.Count -eq 0) {
        return 'installed'
    }
    Assert-Medium -Path $Archive -Checksum $Checksum
    $staging = "$Folder\$Name.new"
    Expand-TarArchive -Archive $Archive -Folder $staging -StripComponents $(if ($Inside -eq '') { 0 } else { 1 })
    $sources = @($File.Keys | Sort-Object)
    $absent = @($sources | Where-Object { -not (Test-Path -LiteralPath "$staging\$_") })
    if ($absent.Count -gt 0) {
        Remove-Item -LiteralPath $staging -Recurse -Force
        Stop-Step -Code 'CommandFailed' -Message "$Archive holds no $Inside$($absent -join ", no $Inside")." `
            -Remedy 'Give the archive of the release for windows-amd64, with its checksum.'
    }
    if ($WithRest) {
        $sources = @(Get-ChildItem -LiteralPath $staging -File | ForEach-Object { $_.Name })
    }
    Stop-ServiceIfPresent -Name $Service
    if (Test-Path -LiteralPath $markPath) {
        Remove-Item -LiteralPath $markPath -Force
    }
    Move-FileIntoPlace -Source @($sources | ForEach-Object { "$staging\$_" }) `
        -Target @($sources | ForEach-Object { "$Folder\$(if ($File.ContainsKey($_)) { $File[$_] } else { $_ })" })
    Remove-Item -LiteralPath $staging -Recurse -Force
    # The mark is on the disk when it is written, and says that the programs are.
    Write-DriveCache
    Write-WholeText -Path $markPath -Text $Checksum.ToLowerInvariant()
    'media'
}

# $Content is in base64, and $Service reads the file at its start; returns whether the file differed.
function Set-EncodedFile {
    param([string] $Path, [string] $Content, [string] $Service = '')
    $current = ''
    if (Test-Path -LiteralPath $Path) {
        $current = [Convert]::ToBase64String([IO.File]::ReadAllBytes($Path))
    }
    if ($current -ceq $Content) {
        return $false
    }
    # Before, not after: a step killed in between would leave one that runs with the old content and looks right.
    Stop-ServiceIfPresent -Name $Service
    Write-WholeFile -Path $Path -Bytes ([Convert]::FromBase64String($Content))
    $true
}
