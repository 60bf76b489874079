# Files that steps need on a machine.

# Checks a file that a step needs. It is in the image, or the host pushed it here before the step.
function Assert-Medium {
    param(
        [string] $Path, [string] $Checksum,
        [string] $Remedy = ('Run `./kindows up`: it has what was pushed to the machine pushed again. What its image ' +
            'carries, copy there by hand.')
    )
    # `kindows up` handles these two codes by name (cli/commands/up.ts).
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        Stop-Step -Code 'MediumMissing' -Message "$Path is not there." -Remedy $Remedy
    }
    $actual = (Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash
    if ($actual -ne $Checksum) {
        $found = "$Path has the SHA-256 $($actual.ToLowerInvariant())"
        Stop-Step -Code 'ChecksumMismatch' -Message "$found, expected was $($Checksum.ToLowerInvariant())." `
            -Remedy $Remedy
    }
}
