<#
.SYNOPSIS
Exports what is needed to debug a node: the ends of its logs and information about Windows.

.DESCRIPTION
Collects files in a folder that only administrators can read, writes them to standard output as an archive (.tar.gz) in
base64, before the result, and removes the folder. Tokens, keys and passwords are hidden. If a query fails, its file has
the reason. Changes nothing else, and does not wait for another step, because that may be the one that hangs.

.PARAMETER TailKiB
KiB to export from the end of each log file. Default: 1024.

.OUTPUTS
Facts of the result (lib/Step.ps1): files, bytes.

.NOTES
Exit codes: 0 done; 1 a parameter was rejected; 10 Unexpected; 11 StepBusy; 12 NotAdministrator; 14 CommandFailed;
15 CommandTimedOut; 16 DiskFull.
#>
[CmdletBinding()]
param(
    [ValidateRange(16, 8192)] [int] $TailKiB = 1024
)

. (Join-Path $PSScriptRoot 'lib\Step.ps1')
. (Join-Path $PSScriptRoot 'lib\NativeCommand.ps1')
. (Join-Path $PSScriptRoot 'lib\ProtectedFile.ps1')
. (Join-Path $PSScriptRoot 'lib\LogFiles.ps1')

Invoke-Step -Name 'Export-NodeLog' -Body {
    # Each export has its own folder, because another one may be running. Folders of killed ones are removed after a
    # day.
    $exports = 'C:\kindows\logs-*'
    foreach ($old in @(if (Test-Path -Path $exports) { Get-ChildItem -Path $exports })) {
        if ($old.LastWriteTimeUtc -lt [DateTime]::UtcNow.AddDays(-1)) {
            Remove-Item -LiteralPath $old.FullName -Recurse -Force
        }
    }
    $export = "C:\kindows\logs-$([Guid]::NewGuid().ToString('N'))"
    $folder = Join-Path $export 'files'
    $archive = Join-Path $export 'files.tar.gz'
    Protect-Folder -Path $export
    try {
        $null = New-Item -Path $folder -ItemType Directory -Force
        Copy-NodeLog -Folder $folder -TailKiB $TailKiB
        Save-NodeText -Folder $folder
        $files = @(Get-ChildItem -LiteralPath $folder -File).Count
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\tar.exe" -TimeoutSeconds 120 `
            -ArgumentList '-c', '-z', '-f', $archive, '-C', $folder, '.' `
            -Remedy 'Free disk space on C:, then run again.'
        $bytes = [IO.File]::ReadAllBytes($archive)
        for ($start = 0; $start -lt $bytes.Length; $start += 49152) {
            $count = [math]::Min(49152, $bytes.Length - $start)
            [Console]::Out.WriteLine([Convert]::ToBase64String($bytes, $start, $count))
        }
    }
    finally { Remove-Item -LiteralPath $export -Recurse -Force }
    New-StepResult -Changed $false -Facts ([ordered]@{ files = $files; bytes = $bytes.Length })
} -Alone $false
