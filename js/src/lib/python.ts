/** A string as a Python literal, in ASCII: what is pasted reads the same to everybody. */
export function pythonString(value: string): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (char) => {
    const code = (char.codePointAt(0) as number).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}
