# The partition of Windows' recovery environment: it stands behind drive C:, in the way of a larger disk.

# How a GPT and an MBR mark such a partition.
$RecoveryGptType = '{de94bba4-06d1-4d40-a16a-bfd50179d6ac}'
$RecoveryMbrType = 39

# A node is replaced instead of being recovered. The answer file asks for none, but the setup of Windows Server 2025
# makes one all the same (rgl/windows-vagrant, remove-recovery-partition.ps1).
function Remove-RecoveryPartition {
    $partitions = @(Get-Partition -ErrorAction Stop | Where-Object {
            $_.GptType -eq $RecoveryGptType -or $_.MbrType -eq $RecoveryMbrType
        })
    if ($partitions.Count -eq 0) {
        return
    }
    # 2: it is disabled already.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\reagentc.exe" -ArgumentList '/disable' `
        -TimeoutSeconds 120 -SuccessExitCodes 0, 2 -Remedy 'See what `reagentc /info` says on the machine.'
    foreach ($partition in $partitions) {
        Remove-Partition -DiskNumber $partition.DiskNumber -PartitionNumber $partition.PartitionNumber `
            -Confirm:$false -ErrorAction Stop
    }
}
