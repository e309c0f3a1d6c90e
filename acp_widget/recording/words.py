"""Words of the protocol. They are no secrets, whatever a variable holds: without them a recording could not be read."""

from __future__ import annotations

from typing import Final

WORDS: Final = frozenset(
    """
    initialize authenticate logout session/new session/load session/resume session/list session/close session/prompt
    session/cancel session/update session/request_permission session/set_config_option session/set_mode
    session/set_model auth/login auth/logout tool_call/cancel terminal/cancel $/cancel_request fs/read_text_file
    fs/write_text_file terminal/create terminal/output terminal/wait_for_exit terminal/kill terminal/release

    user_message user_message_chunk agent_message agent_message_chunk agent_thought agent_thought_chunk tool_call
    tool_call_update tool_call_content_chunk terminal_update terminal_output_chunk state_update plan plan_update
    plan_removed available_commands_update current_mode_update config_option_update session_info_update usage_update
    notice compaction_update compaction_summary_chunk

    promptQueued promptDropped starting launching respond dismiss permissionTold ended policy rules callWithdrawn
    diagnostic update

    jsonrpc method params result error message code protocolVersion clientInfo clientCapabilities agentInfo
    agentCapabilities capabilities authMethods methodId sessionId sessionUpdate toolCallId terminalId messageId planId
    configId optionId requestId compactionId content rawInput rawOutput locations subject options outcome selected
    cancelled configOptions currentValue mcpServers additionalDirectories exitStatus exitCode stopReason toolCall
    availableCommands availableModes currentModeId promptCapabilities sessionCapabilities description operation

    additionalProperties annotations assistant audience background category currency directory elicitation
    elicitation/complete elicitation/create elicitationId embeddedContext fileType git_patch lastModified maxItems
    maxLength mimeType minItems minLength model_config nextCursor priority properties replayFrom requested
    requestedSchema required session/delete sessions severity supported switch_mode terminal thought_level updatedAt

    loadSession mcpCapabilities readTextFile writeTextFile currentModelId availableModels modelId terminal_info
    terminal_output terminal_output_delta terminal_exit terminal_id exit_code

    resource_link resource in_progress completed requires_action end_turn max_tokens max_turn_requests refusal
    allow_once allow_always reject_once reject_always text/plain
    """.split()  # noqa: SIM905
)
