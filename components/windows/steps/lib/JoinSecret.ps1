# What a join needs and nobody may see: it comes on standard input, never on a command line.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# {"token": ..., "caCertHashes": [...]}. Errors never repeat what was read.
function Read-JoinSecret {
    $remedy = 'Give one JSON object with token and caCertHashes on standard input, and end the input.'
    # As a stream of its own, since only that can be waited for in bounded time.
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput())
    $reading = $reader.ReadToEndAsync()
    if (-not $reading.Wait(30000)) {
        Stop-Step -Code 'SecretMissing' -Message 'Standard input did not end within 30 s.' -Remedy $remedy
    }
    $text = $reading.Result.Trim()
    $secret = $null
    try {
        if ($text -ne '') {
            $secret = ConvertFrom-Json -InputObject $text
        }
    }
    catch {
        Stop-Step -Code 'SecretMissing' -Remedy $remedy `
            -Message "Standard input is not JSON ($($text.Length) characters)."
    }
    if ($null -eq $secret -or $null -eq $secret.PSObject.Properties['token'] -or
        $secret.token -cnotmatch '^[a-z0-9]{6}\.[a-z0-9]{16}$') {
        Stop-Step -Code 'SecretMissing' -Remedy $remedy `
            -Message 'Standard input has no token of the form <6>.<16> lower-case characters.'
    }
    if ($null -eq $secret.PSObject.Properties['caCertHashes'] -or @($secret.caCertHashes).Count -eq 0 -or
        @($secret.caCertHashes | Where-Object { $_ -cnotmatch '^sha256:[0-9a-f]{64}$' }).Count -gt 0) {
        Stop-Step -Code 'SecretMissing' -Remedy $remedy `
            -Message 'Standard input has no caCertHashes of the form sha256:<64 hex digits>.'
    }
    $secret
}
