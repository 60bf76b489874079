# Reads a machine's identity disc, in base64, from standard input. Errors do not contain the input, which has a key in
# it.
function Read-IdentityDisc {
    $remedy = 'Give the disc in base64 on standard input, and end the input.'
    # [Console]::In cannot be read with a time limit.
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput())
    $reading = $reader.ReadToEndAsync()
    if (-not $reading.Wait(60000)) {
        Stop-Step -Code 'SecretMissing' -Message 'Standard input did not end within 60 s.' -Remedy $remedy
    }
    $text = $reading.Result.Trim()
    try {
        $bytes = [Convert]::FromBase64String($text)
    }
    catch {
        Stop-Step -Code 'SecretMissing' -Message "Standard input is not base64 ($($text.Length) characters)." `
            -Remedy $remedy
    }
    # ISO 9660 has "CD001", here in base64, in sector 16 of 2048 bytes.
    if ($bytes.Length -lt 34816 -or [Convert]::ToBase64String($bytes, 32769, 5) -cne 'Q0QwMDE=') {
        Stop-Step -Code 'SecretMissing' -Message "Standard input is not a disc image ($($bytes.Length) bytes)." `
            -Remedy $remedy
    }
    , $bytes
}
