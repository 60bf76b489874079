# For the tests of the steps' own bodies: what these call has tests of its own and is mocked there. Dot-sourced in
# BeforeAll.

. "$PSScriptRoot/Support.ps1"
foreach ($lib in Get-ChildItem -LiteralPath $LibFolder -Filter '*.ps1' -File) {
    . $lib.FullName
}
$sha = 'ab' * 32
Mock Write-StepProgress { return }
Mock Start-Sleep { return }
# The frame ends the process, and has tests of its own.
Mock Invoke-Step { & $Body }
