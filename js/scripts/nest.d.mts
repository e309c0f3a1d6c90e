export function nested(css: string): string;
