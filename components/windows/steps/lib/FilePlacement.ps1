# Putting program files where others of the same name may still run.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Moves a file into another's place, also when that one is a running program.

.DESCRIPTION
Windows lets nobody overwrite or delete a running program, but renaming it is allowed: the process goes on under the
other name. Left over files of that kind are removed by Remove-ReplacedFile once nothing runs them any more.

.PARAMETER Source
Full path of the new file, on the same drive.

.PARAMETER Target
Full path of its place.
#>
function Move-FileIntoPlace {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Source,

        [Parameter(Mandatory = $true)]
        [string] $Target
    )

    try {
        if (Test-Path -LiteralPath $Target) {
            [IO.File]::Move($Target, "$Target.$([DateTime]::UtcNow.Ticks).replaced")
        }
        [IO.File]::Move($Source, $Target)
    }
    catch [System.IO.IOException], [System.UnauthorizedAccessException] {
        Stop-Step -Code 'FileInUse' -Message "$Target can't be replaced: $($_.Exception.GetBaseException().Message)" `
            -Remedy 'Close what holds the file open (an editor, a virus scanner, a backup), then run again.'
    }
}

<#
.SYNOPSIS
Removes what Move-FileIntoPlace has put aside in a folder, as far as nothing runs it any more.

.PARAMETER Folder
Full path of the folder.
#>
function Remove-ReplacedFile {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Folder
    )

    foreach ($file in Get-ChildItem -LiteralPath $Folder -Filter '*.replaced' -File) {
        try {
            Remove-Item -LiteralPath $file.FullName -Force
        }
        catch {
            Write-StepProgress -Message "$($file.FullName) is still running and stays until a later run."
        }
    }
}

<#
.SYNOPSIS
Unpacks a .tar.gz to a folder of its own, where nothing runs yet; a full disk or a broken archive harms nothing that is
installed.

.PARAMETER Archive
Full path of the archive.

.PARAMETER Folder
Full path of the folder; emptied first.

.PARAMETER StripComponents
Number of leading folders to leave out of the names in the archive.
#>
function Expand-TarArchive {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Archive,

        [Parameter(Mandatory = $true)]
        [string] $Folder,

        [Parameter(Mandatory = $true)]
        [int] $StripComponents
    )

    if (Test-Path -LiteralPath $Folder) {
        Remove-Item -LiteralPath $Folder -Recurse -Force
    }
    $null = New-Item -Path $Folder -ItemType Directory -Force
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" `
        -ArgumentList '-x', '-z', '-f', $Archive, '-C', $Folder, '--strip-components', "$StripComponents" `
        -TimeoutSeconds 300 -Remedy 'Free disk space on C:, then run again.'
}
