# The exit code of each kind of error, the same in every step; each step's help lists those it can end with.
# 1 is PowerShell's own: it rejected a parameter before the step began. 75 is EX_TEMPFAIL of sysexits.h: try again.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$StepExitCodes = @{
    Unexpected           = 10
    StepBusy             = 11
    NotAdministrator     = 12
    SecretMissing        = 13
    CommandFailed        = 14
    CommandTimedOut      = 15
    DiskFull             = 16
    HostUnsuitable       = 20
    FeatureFailed        = 21
    ForeignHostsEntry    = 22
    HostsFileBusy        = 23
    RebootPending        = 24
    ForeignRoute         = 25
    NextHopOffSegment    = 26
    ForeignDnsRule       = 27
    MediumMissing        = 30
    ChecksumMismatch     = 31
    VersionMismatch      = 32
    ConfigurationUnknown = 33
    ServiceNotRunning    = 34
    FileInUse            = 35
    FeatureMissing       = 40
    ContainerdMissing    = 41
    FlannelMissing       = 42
    ApiServerUnreachable = 50
    JoinFailed           = 51
    JoinTimedOut         = 52
    KubeletArgsRefused   = 53
    KubernetesMissing    = 54
    ResetFailed          = 55
    NodeIpMissing        = 56
    NetworkNotReady      = 60
    RebootNotDone        = 75
}
