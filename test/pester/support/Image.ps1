# For the tests of what makes an image: its scripts as they lie on the CD, and all they call. Dot-sourced in BeforeAll.

. "$PSScriptRoot/Support.ps1"
$ImageFolder = New-ImageFolder -Path (Join-Path $TestDrive 'cd')
foreach ($lib in Get-ChildItem -LiteralPath (Join-Path $ImageFolder 'lib') -Filter '*.ps1' -File) {
    . $lib.FullName
}
Mock Write-StepProgress { return }
Mock Start-Sleep { return }
# The frame ends the process, and has tests of its own.
Mock Invoke-Step { & $Body }
