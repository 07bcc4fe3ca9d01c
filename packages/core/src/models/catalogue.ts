import type { Modality, Model } from "../groups/models/models.ts";

// As providers and public catalogues document it on 22 November 2026; `-` is what they do not say, or not alike.
// id | name | aliases | input > output | context window | maximum output | USD for a million tokens in | and out | released | deprecated
const rows = `
alibaba/qwen3-coder-plus | Qwen3 Coder Plus | - | text > text | 1048576 | 65536 | 1 | 5 | 2025-07-23 | -
alibaba/qwen3.6-flash | Qwen3.6 Flash | - | text,image,video > text | 1000000 | 65536 | 0.1875 | 1.125 | 2026-04-27 | -
alibaba/qwen3.7-max | Qwen3.7 Max | - | text > text | 1000000 | 65536 | 2.5 | 7.5 | 2026-05-21 | -
alibaba/qwen3.7-plus | Qwen3.7 Plus | - | text,image,video > text | 1000000 | 65536 | 0.5 | 3 | 2026-06-02 | -
anthropic/claude-fable-5 | Claude Fable 5 | - | text,image,pdf > text | 1000000 | 128000 | 10 | 50 | 2026-06-09 | -
anthropic/claude-fable-5-1 | Claude Fable 5.1 | - | text,image > text | 1000000 | 128000 | 10 | 50 | 2026-09-01 | -
anthropic/claude-haiku-4-5-20251001 | Claude Haiku 4.5 | claude-haiku-4-5 | text,image,pdf > text | 200000 | 64000 | 1 | 5 | 2025-10-15 | -
anthropic/claude-haiku-5-5 | Claude Haiku 5.5 | - | text,image > text | 1000000 | 128000 | - | - | - | -
anthropic/claude-opus-4-5-20251101 | Claude Opus 4.5 | claude-opus-4-5 | text,image,pdf > text | 200000 | 64000 | 5 | 25 | 2025-11-24 | -
anthropic/claude-opus-4-6 | Claude Opus 4.6 | - | text,image,pdf > text | 1000000 | 128000 | 5 | 25 | 2026-02-05 | -
anthropic/claude-opus-4-7 | Claude Opus 4.7 | - | text,image,pdf > text | 1000000 | 128000 | 5 | 25 | 2026-04-16 | -
anthropic/claude-opus-4-8 | Claude Opus 4.8 | - | text,image,pdf > text | 1000000 | 128000 | 5 | 25 | 2026-05-28 | -
anthropic/claude-opus-5 | Claude Opus 5 | - | text,image > text | 1000000 | 128000 | 5 | 25 | 2026-07-24 | -
anthropic/claude-opus-5-5 | Claude Opus 5.5 | - | text,image > text | 1000000 | 128000 | 4 | 20 | 2026-09-22 | -
anthropic/claude-sonnet-4-5-20250929 | Claude Sonnet 4.5 | claude-sonnet-4-5 | text,image,pdf > text | 200000 | 64000 | 3 | 15 | 2025-09-29 | -
anthropic/claude-sonnet-4-6 | Claude Sonnet 4.6 | - | text,image,pdf > text | 1000000 | 64000 | 3 | 15 | 2026-02-17 | -
anthropic/claude-sonnet-5 | Claude Sonnet 5 | - | text,image,pdf > text | 1000000 | 128000 | 2 | 10 | 2026-06-30 | -
anthropic/claude-sonnet-5-5 | Claude Sonnet 5.5 | - | text,image > text | 1000000 | 128000 | 2 | 10 | - | -
cohere/command-a-03-2025 | Command A | - | text > text | 256000 | 8000 | 2.5 | 10 | 2025-03-13 | -
cohere/command-a-plus-05-2026 | Command A Plus | - | text,image > text | 128000 | 64000 | 2.5 | 10 | 2026-05-20 | -
cohere/command-a-reasoning-08-2025 | Command A Reasoning | - | text > text | 256000 | 32000 | 2.5 | 10 | 2025-08-21 | -
cohere/command-a-vision-07-2025 | Command A Vision | - | text,image > text | 128000 | 8000 | 2.5 | 10 | 2025-07-31 | -
deepseek/deepseek-v4-flash | DeepSeek V4 Flash | - | text > text | 1000000 | 384000 | 0.14 | 0.28 | 2026-04-24 | -
deepseek/deepseek-v4-pro | DeepSeek V4 Pro | - | text > text | 1000000 | 384000 | 0.435 | 0.87 | 2026-04-24 | -
google/gemini-3-flash-preview | Gemini 3 Flash Preview | - | text,image,audio,video,pdf > text | 1048576 | 65536 | 0.5 | 3 | 2025-12-17 | -
google/gemini-3.1-flash-lite | Gemini 3.1 Flash Lite | - | text,image,audio,video,pdf > text | 1048576 | 65536 | 0.25 | 1.5 | 2026-05-07 | -
google/gemini-3.1-pro-preview | Gemini 3.1 Pro Preview | - | text,image,audio,video,pdf > text | 1048576 | 65536 | 2 | 12 | 2026-02-19 | -
google/gemini-3.5-flash | Gemini 3.5 Flash | - | text,image,audio,video,pdf > text | 1048576 | 65536 | 1.5 | 9 | 2026-05-19 | -
google/gemini-3.5-flash-lite | Gemini 3.5 Flash-Lite | - | text,image,audio,video,pdf > text | 1048576 | 65536 | 0.3 | 2.5 | 2026-07-21 | -
google/gemini-3.6-flash | Gemini 3.6 Flash | - | text,image,audio,video,pdf > text | 1048576 | 65536 | - | - | 2026-07-21 | -
minimax/MiniMax-M2.7 | MiniMax-M2.7 | - | text > text | 204800 | 131072 | 0.3 | 1.2 | 2026-03-18 | -
minimax/MiniMax-M3 | MiniMax-M3 | - | text,image,video > text | 1000000 | 128000 | 0.3 | 1.2 | 2026-06-01 | -
mistral/mistral-large-2512 | Mistral Large 3 | mistral-large-latest | text,image > text | 262144 | 262144 | 0.5 | 1.5 | - | -
mistral/mistral-medium-2604 | Mistral Medium 3.5 | mistral-medium-latest | text,image > text | 262144 | 262144 | 1.5 | 7.5 | 2026-04-29 | -
mistral/mistral-small-2603 | Mistral Small 4 | mistral-small-latest | text,image > text | 256000 | 256000 | 0.15 | 0.6 | 2026-03-16 | -
moonshotai/kimi-k2.5 | Kimi K2.5 | - | text,image,video > text | 262144 | 262144 | 0.6 | 3 | - | -
moonshotai/kimi-k2.6 | Kimi K2.6 | - | text,image,video > text | 262144 | 262144 | 0.95 | 4 | 2026-04-21 | -
moonshotai/kimi-k2.7-code | Kimi K2.7 Code | - | text,image,video > text | 262144 | 262144 | 0.95 | 4 | 2026-06-12 | -
openai/gpt-4.1 | GPT-4.1 | - | text,image,pdf > text | 1047576 | 32768 | 2 | 8 | 2025-04-14 | 2026-10-14
openai/gpt-4.1-mini | GPT-4.1 mini | - | text,image,pdf > text | 1047576 | 32768 | 0.4 | 1.6 | 2025-04-14 | 2026-10-14
openai/gpt-4o | GPT-4o | - | text,image,pdf > text | 128000 | 16384 | 2.5 | 10 | 2024-05-13 | 2026-10-14
openai/gpt-4o-mini | GPT-4o mini | - | text,image,pdf > text | 128000 | 16384 | 0.15 | 0.6 | 2024-07-18 | 2026-10-14
openai/gpt-5 | GPT-5 | gpt-5-2025-08-07 | text,image > text | 400000 | 128000 | 1.25 | 10 | 2025-08-07 | 2026-06-11
openai/gpt-5-mini | GPT-5 Mini | gpt-5-mini-2025-08-07 | text,image > text | 400000 | 128000 | 0.25 | 2 | 2025-08-07 | 2026-06-11
openai/gpt-5-nano | GPT-5 Nano | gpt-5-nano-2025-08-07 | text,image > text | 400000 | 128000 | 0.05 | 0.4 | 2025-08-07 | 2026-06-11
openai/gpt-5-pro | GPT-5 Pro | - | text,image > text | 400000 | 272000 | 15 | 120 | 2025-10-06 | 2026-06-11
openai/gpt-5.2 | GPT-5.2 | - | text,image > text | 400000 | 128000 | 1.75 | 14 | 2025-12-11 | -
openai/gpt-5.2-pro | GPT-5.2 Pro | - | text,image > text | 400000 | 128000 | 21 | 168 | 2025-12-11 | -
openai/gpt-5.3-codex | GPT-5.3 Codex | - | text,image,pdf > text | 400000 | 128000 | 1.75 | 14 | 2026-02-05 | -
openai/gpt-5.4 | GPT-5.4 | - | text,image,pdf > text | 1050000 | 128000 | 2.5 | 15 | 2026-03-05 | -
openai/gpt-5.4-mini | GPT-5.4 mini | - | text,image > text | 400000 | 128000 | 0.75 | 4.5 | 2026-03-17 | -
openai/gpt-5.4-nano | GPT-5.4 nano | - | text,image > text | 400000 | 128000 | 0.2 | 1.25 | 2026-03-17 | -
openai/gpt-5.4-pro | GPT-5.4 Pro | - | text,image > text | 1050000 | 128000 | 30 | 180 | 2026-03-05 | -
openai/gpt-5.5 | GPT-5.5 | - | text,image,pdf > text | 1050000 | 128000 | 5 | 30 | 2026-04-23 | -
openai/gpt-5.5-pro | GPT-5.5 Pro | - | text,image,pdf > text | 1050000 | 128000 | 30 | 180 | 2026-04-23 | -
openai/gpt-5.6-sol | GPT-5.6 Sol | - | text,image > text | 1050000 | 128000 | - | - | 2026-07-09 | -
openai/gpt-6-sol | GPT-6 Sol | - | text,image > text | 1050000 | 128000 | 2 | 10 | 2026-09-22 | -
openai/gpt-6.1-sol | GPT-6.1 Sol | - | text,image > text | 1050000 | 128000 | 2 | 10 | 2026-09-30 | -
openai/gpt-image-1.5 | gpt-image-1.5 | - | text,image > image | - | - | - | - | 2025-11-25 | 2026-06-02
openai/gpt-image-2 | gpt-image-2 | - | text,image > image | - | - | - | - | 2026-04-21 | -
openai/o3 | o3 | - | text,image,pdf > text | 200000 | 100000 | 2 | 8 | 2025-04-16 | 2026-06-11
openai/o3-pro | o3-pro | - | text,image > text | 200000 | 100000 | 20 | 80 | 2025-06-10 | 2026-06-11
perplexity/sonar | Sonar | - | text > text | 128000 | 4096 | 1 | 1 | - | -
perplexity/sonar-deep-research | Perplexity Sonar Deep Research | - | text > text | 128000 | 32768 | 2 | 8 | - | -
perplexity/sonar-pro | Sonar Pro | - | text,image > text | 200000 | 8192 | 3 | 15 | - | -
perplexity/sonar-reasoning-pro | Sonar Reasoning Pro | - | text,image > text | 128000 | 4096 | 2 | 8 | - | -
xai/grok-4.20-0309-non-reasoning | Grok 4.20 (Non-Reasoning) | - | text,image,pdf > text | 1000000 | 30000 | 1.25 | 2.5 | 2026-03-09 | -
xai/grok-4.20-0309-reasoning | Grok 4.20 (Reasoning) | - | text,image,pdf > text | 1000000 | 30000 | 1.25 | 2.5 | 2026-03-09 | -
xai/grok-4.3 | Grok 4.3 | - | text,image,pdf > text | 1000000 | 30000 | 1.25 | 2.5 | 2026-04-17 | -
xai/grok-build-0.1 | Grok Build 0.1 | - | text,image,pdf > text | 256000 | 256000 | 1 | 2 | 2026-04-16 | -
zai/glm-4.7 | GLM-4.7 | - | text > text | 204800 | 131072 | 0.6 | 2.2 | 2025-12-22 | -
zai/glm-5 | GLM-5 | - | text > text | 204800 | 131072 | 1 | 3.2 | 2026-02-12 | -
zai/glm-5.1 | GLM-5.1 | - | text > text | 200000 | 131072 | 1.4 | 4.4 | 2026-04-07 | -
zai/glm-5.2 | GLM-5.2 | - | text > text | 1000000 | 131072 | 1.4 | 4.4 | 2026-06-13 | -
`;

const listOf = (text: string) => (text === "-" ? [] : text.split(","));
const numberOf = (text: string) => (text === "-" ? null : Number(text));
const timeOf = (text: string) => (text === "-" ? null : `${text}T00:00:00.000Z`);

function read(row: string): Model {
  const [id = "", displayName = "", aliases = "-", modalities = "", ...figures] = row.split(" | ");
  const [contextWindow = "-", maxOutput = "-", input = "-", output = "-", released = "-", deprecated = "-"] =
    figures;
  const [reads = "", writes = ""] = modalities.split(" > ");
  const [inputPerMTok, outputPerMTok] = [numberOf(input), numberOf(output)];
  return {
    id,
    provider: id.slice(0, id.indexOf("/")),
    name: id.slice(id.indexOf("/") + 1),
    displayName,
    aliases: listOf(aliases),
    modalities: { input: listOf(reads) as Modality[], output: listOf(writes) as Modality[] },
    contextWindow: numberOf(contextWindow),
    maxOutput: numberOf(maxOutput),
    pricing: inputPerMTok === null || outputPerMTok === null ? null : { inputPerMTok, outputPerMTok },
    releasedAt: timeOf(released),
    deprecatedAt: timeOf(deprecated),
  };
}

/** Every model that is known. */
export const catalogue: readonly Model[] = rows.trim().split("\n").map(read);
