# Windows' automatic updates: their reboots come when nobody has drained the node, and their builds unasked for.

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

$AutomaticUpdateKey = 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU'
$AutomaticUpdateRecordPath = 'C:\kindows\state\automatic-update.json'

# NoAutoUpdate: 0, 1 or nothing where there is none.
function Get-AutomaticUpdatePolicy {
    if (Test-Path -LiteralPath $AutomaticUpdateKey) {
        # Not by Get-ItemProperty: of a key without any value, as policies leave them, that returns nothing at all.
        $value = (Get-Item -LiteralPath $AutomaticUpdateKey).GetValue('NoAutoUpdate')
        if ($null -ne $value) { [int]$value }
    }
}

# Returns whether Windows updated by itself until now. What the policy was is kept, once, for Restore-AutomaticUpdate.
# One that is set already is somebody else's, and stays.
function Disable-AutomaticUpdate {
    $before = Get-AutomaticUpdatePolicy
    if ($before -eq 1) { return $false }
    if (-not (Test-Path -LiteralPath $AutomaticUpdateRecordPath)) {
        $record = [ordered]@{ noAutoUpdate = $null; hadKey = (Test-Path -LiteralPath $AutomaticUpdateKey) }
        # What a function did not return is written as {} by 5.1's ConvertTo-Json (PowerShell/PowerShell#9231).
        if ($null -ne $before) { $record.noAutoUpdate = $before }
        Save-Record -Path $AutomaticUpdateRecordPath -Record $record
    }
    # With -Force on a key that is there, New-Item would empty it.
    if (-not (Test-Path -LiteralPath $AutomaticUpdateKey)) { $null = New-Item -Path $AutomaticUpdateKey -Force }
    Set-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate' -Value 1
    $true
}

# Returns a line where Disable-AutomaticUpdate was used.
function Restore-AutomaticUpdate {
    if (-not (Test-Path -LiteralPath $AutomaticUpdateRecordPath)) { return }
    $record = Read-Record -Path $AutomaticUpdateRecordPath
    if (-not (Test-Path -LiteralPath $AutomaticUpdateKey)) {
        # Somebody has taken the policies away since, ours among them.
        Write-StepProgress -Message "There is no $AutomaticUpdateKey any more."
    }
    elseif ($null -ne $record.noAutoUpdate) {
        Set-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate' -Value ([int]$record.noAutoUpdate)
    }
    elseif ($null -ne (Get-AutomaticUpdatePolicy)) {
        Remove-ItemProperty -LiteralPath $AutomaticUpdateKey -Name 'NoAutoUpdate'
    }
    if (-not $record.hadKey) {
        foreach ($key in $AutomaticUpdateKey, (Split-Path -Path $AutomaticUpdateKey)) {
            if (Test-Path -LiteralPath $key) {
                $item = Get-Item -LiteralPath $key
                if ($item.ValueCount + $item.SubKeyCount -eq 0) { Remove-Item -LiteralPath $key -Force }
            }
        }
    }
    Remove-Record -Path $AutomaticUpdateRecordPath
    'policy NoAutoUpdate'
}
