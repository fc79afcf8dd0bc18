export function Mark() { return <svg width="32" height="32" viewBox="0 0 32 32"><path d="M4 4h24v24H4z" /></svg>; }
