/** The TCP port on the loopback address where the interpreter runs scripts for powershell.exe under Wine. */
export const powerShellPort = 7789;
