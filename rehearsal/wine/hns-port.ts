/** The TCP port on the loopback address where the model of Windows answers computenetwork.dll and vmcompute.dll. */
export const hnsPort = 7788;
