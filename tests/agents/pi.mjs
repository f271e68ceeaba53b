// Asks pi's own loader of resources about each tree, and lets pi write the section of its prompt.
import { readFileSync, writeFileSync } from 'node:fs';

const [tools, given, out] = process.argv.slice(2);
const pi = await import(`${tools}/node_modules/@mariozechner/pi-coding-agent/dist/index.js`);
const said = {};
for (const { tree, cwd, home, arguments: options } of JSON.parse(readFileSync(given))) {
  process.env.HOME = home;
  const agentDir = `${home}/.pi/agent`;
  const settingsManager = pi.SettingsManager.create(cwd, agentDir);
  const loader = new pi.DefaultResourceLoader({ cwd, agentDir, settingsManager, noSkills: options.includes('--no-skills') });
  await loader.reload();
  const { skills } = loader.getSkills();
  const commands = settingsManager.getEnableSkillCommands() ? skills : [];
  said[tree] = { prompt: pi.formatSkillsForPrompt(skills), skills: commands.map((skill) => skill.name) };
}
writeFileSync(out, JSON.stringify(said));
process.exit(0);
